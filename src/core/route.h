/*
 * Routes from addresses of requests: numbers and ids are replaced, so that
 * requests of one kind have one name.
 *
 *     /users/4711/orders?page=2            /users/{n}/orders
 *     /files/550e8400-e29b-41d4-a716-…     /files/{id}
 */
#ifndef CORE_ROUTE_H
#define CORE_ROUTE_H

#include <stddef.h>

/* Returns what replaces a part of a path: "{n}" for a number, "{id}" for an
 * identifier (hexadecimal digits with dashes, or a long word with digits in
 * it); NULL if it stays as it is. */
const char *route_part(const char *p, size_t n);

/* Returns the room that the route of an address of n bytes may need. */
size_t route_room(size_t n);

/* Writes the route of an address to `to`, which has route_room(n) bytes.
 * Returns its length. */
size_t route_normalise(char *to, const char *p, size_t n);

#endif
