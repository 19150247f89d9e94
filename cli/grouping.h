/* What --group-by can be told, for the commands that have it. */
#ifndef CLI_GROUPING_H
#define CLI_GROUPING_H

/* `function`, `annotation:KEY` ...: 1 with the group (enum bob_group) and the
 * key of an annotation, or NULL; 0 for anything else. */
int grouping_parse(const char *text, int *ret_group,
    const char **ret_annotation);

/* The word for a group. */
const char *grouping_name(int group);

#endif
