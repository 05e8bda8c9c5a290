#include "profile/python_name.h"

#include "base/limits.h"

#include "check.h"

static struct buf scratch;

static void check_name(const char *name, const char *want)
{
	struct str got = python_name(&scratch, str_of(name));

	CHECK_STR(got, want);
}

int main(void)
{
	struct str plain = str_of("threading.py(973): run");

	scratch = buf_new(MIB);
	check_case("a name without an address is returned as it is");
	CHECK(python_name(&scratch, plain).p == plain.p);
	check_case("addresses are removed, so that calls share one name");
	check_name("<built-in method wait of lock object at 0x7f3aBC01>",
		   "<built-in method wait of lock object>");
	check_name("f at 0x1 of g at 0xff", "f of g");
	check_name("cut at 0x", "cut");
	check_name("a at 0xzebra", "azebra");
	buf_free(&scratch);
	return check_done();
}
