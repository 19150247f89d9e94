/* Names of opcodes, as PHP itself calls them. */
#ifndef CAPTURE_PHP_OPCODES_H
#define CAPTURE_PHP_OPCODES_H

#include <stdint.h>

/* As "ZEND_ADD"; "" for a number that the version (82 for 8.2) has not. */
const char *php_opcode_name(unsigned version, unsigned opcode);

#endif
