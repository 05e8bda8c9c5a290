/*
 * obs-serve: put a command behind an HTTP endpoint.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "common.h"
#include "net/client/target.h"
#include "net/server/child.h"
#include "net/server/flight.h"
#include "net/server/serve.h"
#include "net/server/serve_path.h"
#include "serve_loop.h"

#define HEALTHY "/-/healthy"

static struct {
	const char *listen;
	const char *host;
	const char *path;
	int64_t grpc_port;
	struct target_rules rules;
	int64_t connections;
	double client_time;
	double timeout;
	double max_age;
	int64_t max_body;
	bool require_nonempty, allow_empty, allow_partly;
} cfg = {.path = "/metrics",
	 .rules = {.sidecar_offset = 10000},
	 .connections = SERVE_CONNECTIONS,
	 .client_time = 30,
	 .timeout = 10,
	 .max_body = 64 * (int64_t)MIB};

/* clang-format off */
static const struct opt options[] = {
	OPT_GROUP("Listening"),
	OPT_STR(0, "listen", "ADDRESS", &cfg.listen,
		"listen on PORT of loopback, HOST:PORT, [IPV6]:PORT or "
		"unix:PATH; port 0 picks a free one"),
	OPT_INT(0, "grpc-port", "PORT", &cfg.grpc_port, 1, 65535,
		"listen on the sidecar port of the gRPC worker at PORT"),
	OPT_INT(0, "sidecar-offset", "N", &cfg.rules.sidecar_offset, -65535,
		65535,
		"with --grpc-port, add N to the gRPC port (default 10000)"),
	OPT_STR(0, "host", "HOST", &cfg.host,
		"with --grpc-port, listen on HOST (default 127.0.0.1)"),
	OPT_STR(0, "path", "PATH", &cfg.path,
		"serve PATH (default /metrics)"),
	OPT_INT(0, "max-connections", "N", &cfg.connections, 1, 10000,
		"reject connections beyond N (default 128)"),
	OPT_SECONDS(0, "client-timeout", "SECONDS", &cfg.client_time, 0.001,
		86400,
		"disconnect a client that takes longer than SECONDS to send a "
		"request or to receive an answer (default 30)"),
	OPT_GROUP("Running the command"),
	OPT_SECONDS('t', "timeout", "SECONDS", &cfg.timeout, 0.001, 86400,
		"kill COMMAND after SECONDS and answer 504 (default 10)"),
	OPT_SECONDS(0, "max-age", "SECONDS", &cfg.max_age, 0, 86400,
		"cache answers for SECONDS (default 0: do not cache)"),
	OPT_BYTES(0, "max-body", "SIZE", &cfg.max_body, 1, 0x1p40,
		"kill COMMAND if it prints more than SIZE (default 64M)"),
	OPT_FLAG(0, "require-nonempty", &cfg.require_nonempty,
		"treat output without samples as a failure (default)"),
	OPT_FLAG(0, "allow-empty", &cfg.allow_empty,
		"serve output without samples"),
	OPT_FLAG(0, "allow-partly", &cfg.allow_partly,
		"treat exit status 1 (partly done) as success"),
	OPT_COMMON,
};
/* clang-format on */

static const struct program program = {
	.name = "obs-serve",
	.synopsis = "--listen ADDRESS [OPTION]... [--] COMMAND [ARG]...",
	.about = "Answer each GET of a path with the output of COMMAND. "
		 "Requests that arrive together share one run. Use bash -o "
		 "pipefail for a pipeline: without it, only the failure of its "
		 "last command is noticed.",
	.options = options,
	.examples = {"obs-serve --grpc-port 30001 -- obs-multiproc "
		     "/dev/shm/metrics",
		     "obs-serve --listen 9100 -- "
		     "obs-scrape --router http://localhost:3000",
		     "obs-serve --listen 9100 -- bash -o pipefail -c "
		     "'obs-multiproc | obs-aggregate'"},
	.libraries = {{"libmicrohttpd", httpd_version}},
	.prefix = true,
};

/* Rows of the table with a fixed answer. */
struct endpoints {
	struct flight *flight;
	struct httpd_content *healthy;
	struct serve_handler health;
	struct server *server;
};

static void answer_healthy(void *owner, struct httpd_request *request)
{
	httpd_answer(request, owner);
}

/* Forward the command's stderr, then report what is wrong with the run. */
static void report(const char *complaint, struct str errors)
{
	struct err err = {0};

	while (errors.n > 0) {
		struct str line = str_trim(str_cut(&errors, '\n'));

		if (line.n > 0)
			note("%.*s", STR_ARG(line));
	}
	if (complaint == NULL) {
		detail("the command succeeded");
		return;
	}
	err_set(&err, ERR_INPUT, "%s", complaint);
	say_err(&err);
}

static void check_options(int operands)
{
	if (operands == 0)
		die_usage("no command to run");
	if ((cfg.listen == NULL) == (cfg.grpc_port == 0))
		die_usage("give either --listen or --grpc-port");
	if (cfg.host != NULL && cfg.grpc_port == 0)
		die_usage("--host is for --grpc-port; name it in --listen");
	if (cfg.path[0] != '/' || strpbrk(cfg.path, "?#") != NULL ||
	    strcmp(cfg.path, HEALTHY) == 0)
		die_usage("--path=%s: expected a path such as /metrics, "
			  "other than " HEALTHY,
			  cfg.path);
	if (cfg.require_nonempty && cfg.allow_empty)
		die_usage("--require-nonempty and --allow-empty cannot be "
			  "combined");
}

static struct listener open_listener(void)
{
	int64_t port = target_sidecar_port(&cfg.rules, cfg.grpc_port);
	struct listener listener;
	struct err err = {0};
	int rc;

	if (cfg.listen != NULL)
		rc = listen_text(&listener, cfg.listen, &err);
	else if (port < 1 || port > UINT16_MAX)
		die_usage("the sidecar's port would be %lld", (long long)port);
	else
		rc = listen_tcp(&listener, cfg.host ? cfg.host : "127.0.0.1",
				(uint16_t)port, &err);
	if (rc == ERR_INPUT)
		die_usage("--listen=%s", err.text);
	if (rc < 0)
		die_err(&err);
	return listener;
}

static int64_t in_ns(double seconds)
{
	return (int64_t)(seconds * (double)NS_PER_SECOND);
}

static void open_endpoints(struct endpoints *e, char **command)
{
	const struct flight_options flight = {.command = command,
					      .timeout = in_ns(cfg.timeout),
					      .max_age = in_ns(cfg.max_age),
					      .max_body = (size_t)cfg.max_body,
					      .allow_empty = cfg.allow_empty,
					      .allow_partly = cfg.allow_partly,
					      .report = report};
	struct listener listener = open_listener();
	/* Check Host if browsers of this machine can connect. */
	const struct serve_options serve = {
		.connections = (unsigned)cfg.connections,
		.client_time = in_ns(cfg.client_time)};
	struct serve_route routes[] = {{.path = cfg.path}, {.path = HEALTHY}};
	struct err err = {0};

	e->flight = flight_new(&flight);
	e->healthy = httpd_content_text(200, "healthy\n");
	if (e->flight == NULL || e->healthy == NULL ||
	    !serve_describe(e->healthy, "text/plain; charset=utf-8"))
		die_memory();
	e->health = (struct serve_handler){.ask = answer_healthy,
					   .owner = e->healthy};
	routes[0].handler = flight_handler(e->flight);
	routes[1].handler = &e->health;
	if (serve_start(&e->server, &listener, &serve, routes, 2, &err) < 0)
		die_err(&err);
}

static void print_address(const struct server *server)
{
	bool is_unix = cfg.listen && str_starts(str_of(cfg.listen), "unix:");
	struct err err = {0};
	struct out out;

	if (out_open(&out, STDOUT_FILENO, &err) < 0)
		die_err(&err);
	out_puts(&out, serve_url(server));
	out_puts(&out, is_unix ? ":" : "");
	serve_path_put(&out, cfg.path);
	out_putc(&out, '\n');
	if (out_close(&out, &err) < 0)
		die_stdout(out.failed);
}

int main(int argc, char **argv)
{
	int first = opt_parse(&program, argc, argv);
	struct endpoints e = {0};
	int signals;

	check_options(argc - first);
	signal(SIGHUP, SIG_IGN);
	signals = stop_descriptor(true);
	child_keep_descriptors();
	child_adopt();
	open_endpoints(&e, argv + first);
	print_address(e.server);
	serve_loop(e.server, e.flight, signals);
	serve_close(e.server);
	flight_free(e.flight);
	httpd_content_drop(e.healthy);
	close(signals);
	return finish();
}
