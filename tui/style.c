/* Styles for shares and for changes of shares. */
#include "style.h"

int
style_heat(double share)
{
	/* Shares of profiles are small; equal steps would all be cold. */
	static const double above[N_HEAT - 1] = { 0.005, 0.02, 0.05, 0.15,
		0.4 };
	int i = 0;

	while (i < N_HEAT - 1 && share >= above[i])
		i++;
	return STYLE_HEAT + i;
}

int
style_delta(double delta)
{
	if (delta > 0.05)
		return STYLE_FLAME_GREW + 1;
	if (delta > 0.002)
		return STYLE_FLAME_GREW;
	if (delta < -0.05)
		return STYLE_FLAME_SHRANK + 1;
	if (delta < -0.002)
		return STYLE_FLAME_SHRANK;
	return STYLE_FLAME_SAME;
}
