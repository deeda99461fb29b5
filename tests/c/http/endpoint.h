/* The endpoint that a script wants. */
#ifndef ENDPOINT_H
#define ENDPOINT_H

#include "host.h"

wellhead_endpoint *endpoint_new(host *h, const json_t *script, void (*wake)(void *), void *woken);

#endif
