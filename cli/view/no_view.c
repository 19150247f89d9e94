/* Stands in for the browser view in a build without libmicrohttpd
 * (-Dview=disabled). */
#include "args/options.h"
#include "print/msg.h"

int
cmd_view(const struct args *args)
{
	(void)args;
	msg_error("view: built without the browser view");
	msg_hint("'bobbin explore' shows the same in the terminal; 'bobbin "
	    "convert -o page.html' makes a page");
	return EXIT_FAILED;
}
