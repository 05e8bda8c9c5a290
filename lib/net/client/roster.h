/*
 * Lists of workers in JSON, in every shape that routers, Ray and Prometheus'
 * service discovery have given them. The shape is found by looking:
 *
 *	{"workers": [...]}       SGLang router and SMG, GET /workers
 *	{"urls": [...]}          older routers, GET /list_workers
 *	[{"targets": [...], "labels": {...}}]   file_sd and http_sd, Ray's
 *	                         prom_metrics_service_discovery.json
 *	{"data": {"summary": [{"raylet": {...}}]}}   Ray, /nodes?view=summary
 *	[{"NodeManagerAddress": ...}]   Python's ray.nodes()
 *
 * Each item's kind is detected on its own, so mixed and bare arrays are read, too. An
 * item that names no address is counted in list->skipped and passed over.
 */
#ifndef OBS_NET_CLIENT_ROSTER_H
#define OBS_NET_CLIENT_ROSTER_H

#include "base/buf.h"
#include "net/client/target.h"

/*
 * Append what body lists. Returns 0, also when that is nothing; ERR_INPUT
 * when body is not JSON (with the byte) or holds no list; ERR_MEMORY.
 */
int roster_read(struct target_list *list, const struct target_rules *rules,
		struct str body, struct err *err);

/* Can file_sd say how to reach it? Not a unix socket, credentials or a query,
 * nor a target with a problem. */
bool roster_can_write(const struct target *target);

/* Append those of list as file_sd JSON with all their labels, a line each, for a
 * Prometheus that scrapes by itself. */
int roster_write(const struct target_list *list, struct buf *text,
		 struct err *err);

/* Append a line for each target without a problem: its address, a tab, and
 * its URL or unix:SOCKET:PATH. */
int roster_write_lines(const struct target_list *list, struct buf *out,
		       struct err *err);

#endif
