/*
 * Lists of workers in JSON, in every shape used by routers, Ray and Prometheus
 * service discovery. The shape is detected:
 *
 *	{"workers": [...]}       SGLang router and SMG, GET /workers
 *	{"urls": [...]}          older routers, GET /list_workers
 *	[{"targets": [...], "labels": {...}}]   file_sd and http_sd, Ray's
 *	                         prom_metrics_service_discovery.json
 *	{"data": {"summary": [{"raylet": {...}}]}}   Ray, /nodes?view=summary
 *	[{"NodeManagerAddress": ...}]   Python's ray.nodes()
 *
 * Each item's kind is detected on its own, so mixed and bare arrays are read,
 * too. An item without an address is skipped and counted in list->skipped.
 */
#ifndef OBS_NET_CLIENT_ROSTER_H
#define OBS_NET_CLIENT_ROSTER_H

#include "base/buf.h"
#include "net/client/target.h"

/*
 * Append the items of body. Returns 0, even if there are none; ERR_INPUT if
 * body is not JSON (with the byte) or has no list; ERR_MEMORY.
 */
int roster_read(struct target_list *list, const struct target_rules *rules,
		struct str body, struct err *err);

/* Can file_sd express it? Not with a unix socket, credentials, a query or a
 * problem. */
bool roster_can_write(const struct target *target);

/* Append the targets that it can as file_sd JSON with all their labels, one per
 * line, for a Prometheus that scrapes them itself. */
int roster_write(const struct target_list *list, struct buf *text,
		 struct err *err);

/* Append a line for each target without a problem: its address, a tab, and
 * its URL or unix:SOCKET:PATH. */
int roster_write_lines(const struct target_list *list, struct buf *out,
		       struct err *err);

#endif
