#pragma once

#define LEMON_VERSION_STRING "1.2.3"
