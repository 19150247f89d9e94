/*
 * Routes from addresses: what differs from request to request is replaced, so
 * that requests of one kind have one name.
 *
 *     /users/4711/orders?page=2            /users/{n}/orders
 *     /files/550e8400-e29b-41d4-a716-…     /files/{id}
 */
#ifndef CORE_ROUTE_H
#define CORE_ROUTE_H

#include <stddef.h>

/* Bytes that the route of an address of n bytes may take. */
size_t route_room(size_t n);

/* Writes the route of an address to `to`; returns its length. */
size_t route_normalise(char *to, const char *p, size_t n);

#endif
