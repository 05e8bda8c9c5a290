#include "top_screen.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/io.h"
#include "common.h"
#include "top_keys.h"
#include "top_view.h"

enum {
	DRAW_MS = 100,	  /* minimum interval between frames of a replay */
	TICK_MS = 1000,	  /* ages are in seconds */
	LIVE_SECONDS = 60 /* a pipe with older snapshots is a replay */
};

static const int watched[] = {SIGINT,  SIGTERM, SIGHUP,	 SIGQUIT,
			      SIGTSTP, SIGCONT, SIGWINCH};
static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/* For a crash handler, which takes no argument. */
static const struct screen *volatile crashing;

static void restore_and_crash(int signum)
{
	if (crashing != NULL)
		screen_rescue(crashing);
	signal(signum, SIG_DFL);
	raise(signum);
}

static int watch_signals(void)
{
	const struct sigaction crash = {.sa_handler = restore_and_crash};
	sigset_t set;
	int fd;

	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		sigaction(crashes[i], &crash, NULL);
	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(watched); i++)
		sigaddset(&set, watched[i]);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		die(STATUS_IO, "cannot watch signals: %s", strerror(errno));
	sigprocmask(SIG_BLOCK, &set, NULL);
	return fd;
}

/* Drawing --------------------------------------------------------------- */

static double seconds_since(int64_t then)
{
	return (double)(clock_monotonic() - then) / NS_PER_SECOND;
}

static const char *state_of(const struct top_screen *t)
{
	if (t->frozen)
		return "frozen";
	if (t->ended)
		return t->regular ? "replay" : "ended";
	return t->replay ? "loading" : "live";
}

/* The last message, without the program's name. */
static const char *last_message(struct top_screen *t)
{
	const struct buf *held = t->held.n > 0 ? &t->held : &t->source->message;
	size_t end = held->n, begin, skip = strlen("obs-top: ");

	if (t->message[0] != '\0')
		return t->message;
	while (end > 0 && held->p[end - 1] == '\n')
		end--;
	for (begin = end; begin > 0 && held->p[begin - 1] != '\n';)
		begin--;
	if (end - begin > skip &&
	    memcmp(held->p + begin, "obs-top: ", skip) == 0)
		begin += skip;
	snprintf(t->said, sizeof(t->said), "%.*s", (int)(end - begin),
		 end == 0 ? "" : held->p + begin);
	return t->said[0] != '\0' ? t->said : NULL;
}

static void draw(struct top_screen *t)
{
	struct scene *scene = &t->scene;
	struct err err;
	int code = 0;

	t->drawn = clock_monotonic();
	scene->state = state_of(t);
	scene->message = last_message(t);
	scene->late = t->replay || t->frozen || t->ended ||
				      t->board->n_frames == 0
			      ? 0
			      : seconds_since(t->arrived);
	code = top_make_view(t, &err);
	if (code == 0)
		code = scene_draw(scene, t->screen, &err);
	if (code < 0) {
		top_screen_close(t);
		die_err(&err);
	}
}

/* Signals --------------------------------------------------------------- */

/* Stop as the pending signal would have; returns once continued. */
static void stop_here(struct top_screen *t)
{
	sigset_t set;

	screen_suspend(t->screen);
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	signal(SIGTSTP, SIG_DFL); /* ncurses has its own */
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	screen_resume(t->screen);
}

static void take_signals(struct top_screen *t)
{
	struct signalfd_siginfo info;

	while (read(t->signals, &info, sizeof(info)) == sizeof(info))
		switch (info.ssi_signo) {
		case SIGTSTP:
			stop_here(t);
			break;
		case SIGCONT:
			break;
		case SIGWINCH:
			screen_resize(t->screen);
			break;
		default:
			t->signal = (int)info.ssi_signo;
			t->quits = true;
		}
}

/* Waiting --------------------------------------------------------------- */

/* Wait for events and handle them: until input is readable (if fd is not
 * negative), then true; else for a while. */
static bool step(struct top_screen *t, int fd, int timeout)
{
	struct pollfd fds[] = {{.fd = t->terminal, .events = POLLIN},
			       {.fd = t->signals, .events = POLLIN},
			       {.fd = t->source->errors, .events = POLLIN},
			       {.fd = fd, .events = POLLIN}};
	int ready = poll(fds, 4, timeout);

	if (ready < 0 && errno != EINTR) {
		t->quits = true;
		return false;
	}
	if (ready > 0 && fds[2].revents != 0)
		top_source_take_errors(t->source);
	if (ready > 0 && fds[1].revents != 0)
		take_signals(t);
	if (ready > 0 &&
	    (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) {
		t->signal = t->signal == 0 ? SIGHUP : t->signal;
		t->quits = true;
	} else if (ready > 0 && fds[0].revents != 0) {
		top_take_keys(t);
	}
	if (!t->quits && (ready <= 0 || fds[0].revents != 0 ||
			  fds[1].revents != 0 || fds[2].revents != 0))
		draw(t);
	return ready > 0 && fds[3].revents != 0;
}

static bool wait_for_input(void *to)
{
	struct top_screen *t = to;

	/* A file is always readable. */
	if (t->regular) {
		step(t, -1, 0);
		return !t->quits;
	}
	while (!t->quits && !step(t, t->source->fd, TICK_MS))
		;
	return !t->quits;
}

int top_screen_update(struct top_screen *t)
{
	const struct board *b = t->board;
	double now = (double)clock_wall() / NS_PER_SECOND;

	t->arrived = clock_monotonic();
	t->replay =
		t->regular ||
		(b->n_frames > 0 &&
		 now - board_frame_at(b, b->n_frames - 1)->time > LIVE_SECONDS);
	top_end_snapshot(t);
	if (!t->replay || seconds_since(t->drawn) * 1000 >= DRAW_MS)
		draw(t);
	return 0;
}

void top_screen_stay(struct top_screen *t)
{
	t->ended = true;
	draw(t);
	while (!t->quits)
		step(t, -1, -1);
}

/* Opening and closing --------------------------------------------------- */

struct top_screen *top_screen_open(const struct top_settings *settings,
				   struct board *board,
				   struct top_source *source,
				   const struct metric_stream *reader,
				   struct sequence *sequence)
{
	struct top_screen *t = calloc(1, sizeof(*t));
	struct err err;

	if (t == NULL)
		die_memory();
	t->board = board;
	t->source = source;
	t->reader = reader;
	t->sequence = sequence;
	t->settings = settings;
	t->marked = map_new(false);
	t->held = buf_new((size_t)64 * 1024);
	t->regular = !isnan(source->written);
	top_view_begin(t);
	t->terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);
	if (t->terminal < 0)
		die(STATUS_IO, "cannot open /dev/tty: %s; use --once",
		    strerror(errno));
	t->signals = watch_signals();
	t->screen = screen_open(t->terminal, &settings->screen, &err);
	if (t->screen == NULL)
		die_err(&err);
	crashing = t->screen;
	messages_buffer(&t->held);
	source->wait = wait_for_input;
	source->to = t;
	draw(t);
	return t;
}

bool top_screen_quits(const struct top_screen *t)
{
	return t != NULL && t->quits;
}

void top_screen_close(struct top_screen *t)
{
	if (t == NULL || t->screen == NULL)
		return;
	crashing = NULL;
	screen_close(t->screen);
	t->screen = NULL;
	t->source->wait = NULL;
	close(t->terminal);
	messages_buffer(NULL);
	if (!t->quits || t->signal == 0)
		messages_flush(&t->held);
}

int top_screen_finish(struct top_screen *t)
{
	sigset_t none;
	int signum;

	if (t == NULL)
		return finish();
	signum = t->signal;
	top_view_end(t);
	map_free(&t->marked);
	buf_free(&t->held);
	free(t);
	if (signum != 0) {
		signal(signum, SIG_DFL);
		raise(signum);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	return finish();
}
