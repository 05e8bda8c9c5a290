/*
 * Any bytes as lines of NAME=VALUE and NAME:=JSON, as --attr and OBS_TRACE_FD
 * take them: cut anywhere into pieces, they give the same attributes, each with
 * a name of its own, a number that is finite and JSON that reads back.
 */
#include <fcntl.h>
#include <math.h>
#include <sanitizer/common_interface_defs.h>
#include <unistd.h>

#include "../../cmd/attr_args.h"
#include "base/limits.h"
#include "fmt/json/json_read.h"

#include "fuzz.h"

static void check_json(const char *text)
{
	struct arena arena = arena_new(256 * MIB);
	struct err err = {0};
	struct value v;

	require(json_parse(str_of(text), &arena, &v, &err) == 0);
	arena_free(&arena);
}

static void check_attr(const struct obs_attr *attr)
{
	require(attr->key[0] != '\0' && strchr(attr->key, '=') == NULL);
	if (attr->kind == OBS_DOUBLE)
		require(isfinite(attr->d));
	if (attr->kind == OBS_BOOL)
		require(attr->i == 0 || attr->i == 1);
	if (attr->kind == OBS_JSON)
		check_json(attr->text);
}

static bool is_same_text(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static void check_same(const struct attr_args *a, const struct attr_args *b)
{
	require(a->n == b->n);
	for (size_t i = 0; i < a->n; i++) {
		const struct obs_attr *x = &a->v[i], *y = &b->v[i];

		require(strcmp(x->key, y->key) == 0 && x->kind == y->kind);
		require(x->i == y->i && x->d == y->d);
		require(is_same_text(x->text, y->text));
		for (size_t k = 0; k < i; k++)
			require(strcmp(a->v[k].key, x->key) != 0);
	}
}

static void read_pieces(struct attr_args *attrs, struct str text, size_t piece)
{
	struct buf line = buf_new(LIMIT_LINE);

	for (size_t at = 0; at < text.n; at += piece) {
		size_t n = text.n - at < piece ? text.n - at : piece;

		attr_args_take_bytes(attrs, &line, str_make(text.p + at, n));
	}
	attr_args_end_bytes(attrs, &line);
	buf_free(&line);
}

/* Warnings go nowhere; what sanitizers report is still seen. */
static void read_quietly(struct attr_args *attrs, struct str text, size_t piece)
{
	static int shown = -1, nowhere = -1;

	if (shown < 0) {
		shown = dup(STDERR_FILENO);
		nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
		require(shown >= 0 && nowhere >= 0);
		__sanitizer_set_report_fd((void *)(intptr_t)shown);
	}
	require(dup2(nowhere, STDERR_FILENO) >= 0);
	read_pieces(attrs, text, piece);
	require(dup2(shown, STDERR_FILENO) >= 0);
}

/* The first byte is the length of the pieces. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct attr_args whole, cut;
	struct str text = str_make((const char *)data + 1, size - 1);

	if (size < 2)
		return 0;
	whole = attr_args_new();
	cut = attr_args_new();
	read_quietly(&whole, text, text.n);
	read_quietly(&cut, text, (size_t)data[0] + 1);
	for (size_t i = 0; i < whole.n; i++)
		check_attr(&whole.v[i]);
	check_same(&whole, &cut);
	attr_args_free(&whole);
	attr_args_free(&cut);
	return 0;
}
