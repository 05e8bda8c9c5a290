/*
 * A program that records, for the tests and scripts/bench: PROCESSES worker
 * processes, SPANS spans each in a tree of two levels, one event a hundred.
 *
 *	worker PROCESSES SPANS
 *
 * The file and whose they are come from the environment. Prints the
 * nanoseconds a span took. It includes nothing but the installed header.
 */
#include <obstools/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void work(struct obs_trace *trace, long worker, long spans)
{
	struct obs_attr who = obs_int("worker", worker);
	struct obs_span whole = obs_span_begin(trace, NULL, "worker", &who, 1);

	for (long i = 1; i < spans; i++) {
		struct obs_attr number = obs_int("i", i);
		struct obs_span span =
			obs_span_begin(trace, &whole, "step", NULL, 0);

		if (i % 100 == 0)
			obs_event(trace, &span, "hundred", &number, 1);
		obs_span_end(&span, &number, 1);
	}
	obs_span_end(&whole, NULL, 0);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct obs_trace *trace = obs_trace_open(NULL);
	long processes = argc > 2 ? strtol(argv[1], NULL, 10) : 1;
	long spans = argc > 2 ? strtol(argv[2], NULL, 10) : 1000;
	double from = seconds();
	int failed = trace == NULL;

	for (long i = 0; i < processes; i++) {
		if (fork() != 0)
			continue;
		work(trace, i, spans);
		_exit(obs_trace_lost(trace) > 0);
	}
	for (long i = 0; i < processes; i++) {
		int status;

		failed |= wait(&status) < 0 || status != 0;
	}
	printf("%.0f ns a span\n",
	       (seconds() - from) * 1e9 / (double)processes / (double)spans);
	obs_trace_close(trace);
	return failed;
}
