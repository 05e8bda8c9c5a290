/* rollout/row_choice: the rows that end last, up to a limit. */
#include "rollout/row_choice.h"

#include <math.h>

#include "check.h"

static struct row_choice notes(void)
{
	static const double ends[] = {3, NAN, 7, 3, 9};
	struct row_choice c = {0};
	struct err err;

	for (size_t i = 0; i < 5; i++) {
		struct row_note note = {.row_id = i + 10,
					.own_end = ends[i],
					.end = 20,
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

static void tie(void)
{
	struct row_choice c = notes();
	struct row_note later = {
		.row_id = 15, .own_end = NAN, .end = 21, .size = {1, 1, 1}};
	struct err err;

	CHECK_INT(row_choice_note(&c, &later, &err), 0);
	row_choice_end(&c, 15, 9);
	row_choice_end(&c, 99, 100);
	row_choice_keep(&c, &(struct row_size){1, 9999, 99999});
	CHECK(row_choice_has(&c, 15));
	CHECK(!row_choice_has(&c, 14));
	row_choice_free(&c);
}

int main(void)
{
	struct row_choice none = {0};

	check_case("what ends last is kept, of equal ones the first");
	keeps((struct row_size){3, 9999, 99999}, "024");
	keeps((struct row_size){1, 9999, 99999}, "4");
	keeps((struct row_size){99, 9999, 99999}, "01234");
	keeps((struct row_size){4, 9999, 99999}, "0234");
	check_case("items and bytes are limits, too; the row that reaches "
		   "them is in");
	keeps((struct row_size){99, 101, 99999}, "24");
	keeps((struct row_size){99, 9999, 1000}, "4");
	check_case("equal ends are told apart by what follows");
	tie();
	check_case("of no rows none is kept");
	row_choice_keep(&none, &(struct row_size){1, 1, 1});
	CHECK(!row_choice_has(&none, 0));
	return check_done();
}
