/** The handles of tools and prompts. */
import type { JsonObject } from './values.js';

/** A handle of a tool or a prompt, to change or remove it. Dropping the handle removes nothing. */
export interface NamedHandle {
  /** The name of the tool or prompt. */
  readonly name: string;
  /**
   * Lists a disabled tool or prompt again, and lets clients use it.
   *
   * @example
   * ```ts
   * search.enable();
   * ```
   * @throws {UsageError} if it was removed
   * @throws {ClosedError} after {@link Server.close}
   */
  enable(): void;
  /**
   * Hides the tool or prompt: it is not listed, and is answered as if it did not exist. Calls in flight finish.
   *
   * @example
   * ```ts
   * search.disable();
   * ```
   * @throws as {@link NamedHandle.enable}
   */
  disable(): void;
  /**
   * Changes members of the definition; the value `null` removes a member. The other members and the handler stay. Calls
   * in flight finish.
   *
   * @example
   * ```ts
   * search.update({ description: 'Searches 120 notes.' });
   * ```
   * @throws {UsageError} if it was removed, or for a definition that {@link Server.tool} refuses
   * @throws {ClosedError} after {@link Server.close}
   */
  update(changes: JsonObject): void;
  /**
   * Removes the tool or prompt. Calls in flight finish.
   *
   * @example
   * ```ts
   * search.remove();
   * ```
   * @throws as {@link NamedHandle.enable}
   */
  remove(): void;
}
