/*
 * Text 0.0.4 the way prometheus_client spells it (exposition.py): a HELP line
 * also without text, whole numbers as 1.0, -0 kept. See sink/metrics/metric_sink.h.
 */
#ifndef OBS_SINK_METRICS_CLIENT_OUT_H
#define OBS_SINK_METRICS_CLIENT_OUT_H

#include "sink/metrics/metric_sink.h"

struct metric_sink *client_out_new(struct out *out, struct err *err);

#endif
