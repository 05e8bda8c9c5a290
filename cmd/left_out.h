/*
 * Reports what a reader of another framework's file left out.
 */
#ifndef OBS_CMD_LEFT_OUT_H
#define OBS_CMD_LEFT_OUT_H

#include "rollout/foreign/losses.h"

/* A message per reason, with its count; lost events are a partial failure. */
void left_out_say(const char *name, const struct losses *losses);

#endif
