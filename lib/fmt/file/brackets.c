#include "fmt/file/brackets.h"

const char *brackets_end(struct brackets *b, const char *p, const char *end)
{
	for (; p < end; p++) {
		if (b->escaped) {
			b->escaped = false;
		} else if (b->in_string) {
			b->escaped = *p == '\\';
			b->in_string = *p != '"';
			if (*p == '"' && b->depth == 0)
				return p + 1;
		} else if (*p == '"') {
			b->in_string = true;
		} else if (*p == '{' || *p == '[') {
			b->depth++;
		} else if ((*p == '}' || *p == ']') && --b->depth == 0) {
			return p + 1;
		}
	}
	return NULL;
}
