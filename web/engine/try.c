/* Asks the build for what the engine needs: a C library and a linker. */
#include <math.h>
#include <stdio.h>

int
main(void)
{
	return printf("%g\n", sqrt(2));
}
