/* --group-by, for analyze, diff and explore. */
#ifndef CLI_GROUPING_H
#define CLI_GROUPING_H

/* Parses `function`, `annotation:KEY` and so on. Returns 1 and sets the group
 * (enum bob_group) and the key of an annotation, or NULL; else 0. */
int grouping_parse(const char *text, int *ret_group,
    const char **ret_annotation);

/* The same with a message: EXIT_OK, or EXIT_USAGE after saying what is
 * possible. */
int grouping_set(const char *text, int *ret_group,
    const char **ret_annotation);

/* How a profile must be split for a group (enum bob_split). */
int grouping_split(int group);

/* The word for a group. */
const char *grouping_name(int group);

#endif
