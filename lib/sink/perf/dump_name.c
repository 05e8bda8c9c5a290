#include "sink/perf/dump_name.h"

#include <string.h>

#include "base/digits.h"
#include "base/num.h"
#include "base/str.h"

bool dump_number(const char *path, int64_t *number)
{
	const char *name = file_name(path);
	size_t end = strlen(name);
	size_t begin;

	while (end > 0 && !is_digit(name[end - 1]))
		end--;
	begin = end;
	while (begin > 0 && is_digit(name[begin - 1]))
		begin--;
	return end > begin &&
	       num_parse_int(str_make(name + begin, end - begin), number);
}

int dump_name_compare(const char *a, const char *b)
{
	while (*a != '\0' && *b != '\0') {
		size_t x = strspn(a, "0123456789");
		size_t y = strspn(b, "0123456789");
		int order;

		if (x == 0 || y == 0) {
			if (*a != *b)
				return (unsigned char)*a - (unsigned char)*b;
			a++;
			b++;
			continue;
		}
		for (; x > 1 && *a == '0'; x--)
			a++;
		for (; y > 1 && *b == '0'; y--)
			b++;
		order = x != y ? (x < y ? -1 : 1) : memcmp(a, b, x);
		if (order != 0)
			return order;
		a += x;
		b += y;
	}
	return (unsigned char)*a - (unsigned char)*b;
}
