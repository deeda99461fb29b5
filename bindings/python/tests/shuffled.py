"""Tasks that overtake each other, the same way each time."""

import asyncio
import random


class Shuffled:
    """Lets all that wait go on once enough do, in an order that the seed gives."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.order = random.Random(count)
        self.waiting: list[asyncio.Future[None]] = []

    async def wait(self) -> None:
        mine = asyncio.get_running_loop().create_future()
        self.waiting.append(mine)
        if len(self.waiting) == self.count:
            released, self.waiting = self.waiting, []
            self.order.shuffle(released)
            for one in released:
                one.set_result(None)
        await mine
