"""Runs the host in LuaJIT, which the package lupa brings.

    luajit.py host.lua LIBRARY HEADER
"""

import sys
from pathlib import Path

from lupa import luajit21

lua = luajit21.LuaRuntime(encoding=None)
script, library, header = sys.argv[1:]
lua.eval(b"function(text, ...) return assert(loadstring(text, '=host.lua'))(...) end")(
    Path(script).read_bytes(), library.encode(), Path(header).read_bytes()
)
