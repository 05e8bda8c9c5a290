/* rollout/row_choice: the longest rows, up to a limit. */
#include "rollout/row_choice.h"

#include <math.h>

#include "check.h"

static struct row_choice notes(void)
{
	static const double durations[] = {3, NAN, 7, 3, 9};
	struct row_choice c = {0};
	struct err err;

	for (size_t i = 0; i < 5; i++) {
		struct row_note note = {.row_id = i + 10,
					.duration = durations[i],
					.size = {1, 100, 1000}};

		CHECK_INT(row_choice_note(&c, &note, &err), 0);
	}
	return c;
}

/* The ids kept, as a text of digits. */
static void keeps(struct row_size most, const char *ids)
{
	struct row_choice c = notes();
	char kept[16];
	size_t n = 0;

	row_choice_keep(&c, &most);
	for (uint64_t id = 10; id < 15; id++)
		if (row_choice_has(&c, id))
			kept[n++] = (char)('0' + id - 10);
	CHECK_STR(str_make(kept, n), ids);
	row_choice_free(&c);
}

int main(void)
{
	struct row_choice none = {0};

	check_case("the longest are kept, of equal ones the first");
	keeps((struct row_size){3, 9999, 99999}, "024");
	keeps((struct row_size){1, 9999, 99999}, "4");
	keeps((struct row_size){99, 9999, 99999}, "01234");
	keeps((struct row_size){4, 9999, 99999}, "0234");
	check_case("items and bytes are limits, too; the row that reaches "
		   "them is in");
	keeps((struct row_size){99, 101, 99999}, "24");
	keeps((struct row_size){99, 9999, 1000}, "4");
	check_case("of no rows none is kept");
	row_choice_keep(&none, &(struct row_size){1, 1, 1});
	CHECK(!row_choice_has(&none, 0));
	return check_done();
}
