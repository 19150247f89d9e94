/*
 * The offsets that bobbin uses against PHP's own headers: prints each that
 * differs. Compiled together with src/capture/php/layout/offsets.c.
 */
#include "php.h"

#include <stddef.h>
#include <stdio.h>

#include "SAPI.h"
#include "zend_generators.h"

#include "capture/php/layout/offsets.h"

static int n_wrong;

static void
same(const char *what, size_t ours, size_t theirs)
{
	if (ours == theirs)
		return;
	n_wrong++;
	printf("%s is %zu, not %zu\n", what, theirs, ours);
}

#define FIELD(ours, type, field) same(#field, ours, offsetof(type, field))

static void
check_table(const struct php_offsets *o)
{
	FIELD(o->eg_vm_stack_top, zend_executor_globals, vm_stack_top);
	FIELD(o->eg_vm_stack_top + EG_VM_STACK_END, zend_executor_globals,
	    vm_stack_end);
	FIELD(o->eg_vm_stack_top + EG_VM_STACK, zend_executor_globals,
	    vm_stack);
	FIELD(o->eg_current, zend_executor_globals, current_execute_data);
	FIELD(o->ex_prev, zend_execute_data, prev_execute_data);
	FIELD(o->op_last, zend_op_array, last);
	FIELD(o->op_opcodes, zend_op_array, opcodes);
	FIELD(o->op_filename, zend_op_array, filename);
	FIELD(o->op_line_start, zend_op_array, line_start);
	FIELD(o->op_line_start + 4, zend_op_array, line_end);
	FIELD(o->op_n_vars, zend_op_array, last_var);
	FIELD(o->op_n_temps, zend_op_array, T);
	FIELD(FN_N_ARGS, zend_op_array, num_args);
	FIELD(o->op_vars, zend_op_array, vars);
	FIELD(o->eg_functions, zend_executor_globals, function_table);
	FIELD(o->eg_functions + 8, zend_executor_globals, class_table);
	same("the size of a frame", o->ex_variables,
	    ZEND_CALL_FRAME_SLOT * sizeof(zval));
	same("IS_INDIRECT", o->type_indirect, IS_INDIRECT);
	same("IS_PTR", o->type_pointer, IS_PTR);
	same("ZEND_ACC_STATIC", o->acc_static, ZEND_ACC_STATIC);
	same("lists without keys", o->has_short_lists,
	    PHP_VERSION_ID >= 80200);
	FIELD(o->gen_execute_data, zend_generator, execute_data);
	FIELD(o->gen_node, zend_generator, node);
	same("ZEND_ACC_CLOSURE", o->acc_closure, ZEND_ACC_CLOSURE);
	same("ZEND_ACC_CALL_VIA_TRAMPOLINE", o->acc_trampoline,
	    ZEND_ACC_CALL_VIA_TRAMPOLINE);
#if PHP_VERSION_ID >= 70400
	FIELD(o->op_statics, zend_op_array, static_variables_ptr__ptr);
	FIELD(o->cg_map, zend_compiler_globals, map_ptr_base);
	FIELD(CE_STATICS, zend_class_entry, static_members_table__ptr);
	same("IS_ALIAS_PTR", o->type_pointer + 1, IS_ALIAS_PTR);
	same("ZEND_CALL_TOP", o->call_top, ZEND_CALL_TOP);
	same("ZEND_CALL_GENERATOR", o->call_generator, ZEND_CALL_GENERATOR);
	same("ZEND_ACC_FAKE_CLOSURE", o->acc_fake_closure,
	    ZEND_ACC_FAKE_CLOSURE);
#else
	FIELD(o->op_statics, zend_op_array, static_variables);
	FIELD(CE_STATICS, zend_class_entry, static_members_table);
	same("the map", o->cg_map, 0);
#endif
}

static void
check_constants(void)
{
	FIELD(EG_SYMBOL_TABLE, zend_executor_globals, symbol_table);
	FIELD(EX_OPLINE, zend_execute_data, opline);
	FIELD(EX_CALL, zend_execute_data, call);
	FIELD(EX_FUNC, zend_execute_data, func);
	FIELD(EX_THIS, zend_execute_data, This);
	FIELD(EX_TYPE_INFO, zend_execute_data, This.u1.type_info);
	FIELD(FN_TYPE, zend_function, type);
	FIELD(FN_FLAGS, zend_function, common.fn_flags);
	FIELD(FN_NAME, zend_function, common.function_name);
	FIELD(FN_SCOPE, zend_function, common.scope);
	same("zend_op", OP_SIZE, sizeof(zend_op));
	FIELD(OP_LINE, zend_op, lineno);
	FIELD(OP_CODE, zend_op, opcode);
	FIELD(CE_NAME, zend_class_entry, name);
	FIELD(CE_N_PROPERTIES, zend_class_entry, default_properties_count);
	FIELD(CE_N_STATICS, zend_class_entry, default_static_members_count);
	FIELD(CE_FIRST_STATICS, zend_class_entry,
	    default_static_members_table);
	FIELD(CE_FUNCTIONS, zend_class_entry, function_table);
	FIELD(CE_PROPERTIES, zend_class_entry, properties_info);
	FIELD(OBJ_CLASS, zend_object, ce);
	FIELD(OBJ_OTHERS, zend_object, properties);
	FIELD(OBJ_TABLE, zend_object, properties_table);
	FIELD(PROP_OFFSET, zend_property_info, offset);
	FIELD(PROP_FLAGS, zend_property_info, flags);
	FIELD(REF_VAL, zend_reference, val);
	FIELD(GC_TYPE, zend_refcounted, gc.u.type_info);
	FIELD(STR_HASH, zend_string, h);
	FIELD(STR_LEN, zend_string, len);
	FIELD(STR_VAL, zend_string, val);
	FIELD(ARR_FLAGS, zend_array, u);
	same("HASH_FLAG_PACKED", ARR_IS_LIST, HASH_FLAG_PACKED);
	FIELD(ARR_MASK, zend_array, nTableMask);
	FIELD(ARR_DATA, zend_array, arData);
	FIELD(ARR_USED, zend_array, nNumUsed);
	same("Bucket", BUCKET_SIZE, sizeof(Bucket));
	FIELD(ARR_COUNT, zend_array, nNumOfElements);
	FIELD(BUCKET_HASH, Bucket, h);
	FIELD(BUCKET_KEY, Bucket, key);
	same("zval", ZVAL_SIZE, sizeof(zval));
	FIELD(ZVAL_TYPE, zval, u1);
	FIELD(ZVAL_NEXT, zval, u2);
	same("IS_UNDEF", ZVAL_IS_UNDEF, IS_UNDEF);
	same("IS_NULL", ZVAL_IS_NULL, IS_NULL);
	same("IS_FALSE", ZVAL_IS_FALSE, IS_FALSE);
	same("IS_TRUE", ZVAL_IS_TRUE, IS_TRUE);
	same("IS_LONG", ZVAL_IS_LONG, IS_LONG);
	same("IS_DOUBLE", ZVAL_IS_DOUBLE, IS_DOUBLE);
	same("IS_STRING", ZVAL_IS_STRING, IS_STRING);
	same("IS_ARRAY", ZVAL_IS_ARRAY, IS_ARRAY);
	same("IS_OBJECT", ZVAL_IS_OBJECT, IS_OBJECT);
	same("IS_REFERENCE", ZVAL_IS_REFERENCE, IS_REFERENCE);
	FIELD(SG_METHOD, sapi_globals_struct, request_info.request_method);
	FIELD(SG_QUERY, sapi_globals_struct, request_info.query_string);
	FIELD(SG_COOKIE, sapi_globals_struct, request_info.cookie_data);
	FIELD(SG_PATH_TRANSLATED, sapi_globals_struct,
	    request_info.path_translated);
	FIELD(SG_URI, sapi_globals_struct, request_info.request_uri);
	FIELD(SG_REQUEST_TIME, sapi_globals_struct, global_request_time);
	same("ZEND_DO_FCALL", OP_DO_FCALL, ZEND_DO_FCALL);
	same("ZEND_DO_ICALL", OP_DO_ICALL, ZEND_DO_ICALL);
	same("ZEND_DO_UCALL", OP_DO_UCALL, ZEND_DO_UCALL);
	same("ZEND_DO_FCALL_BY_NAME", OP_DO_FCALL_BY_NAME,
	    ZEND_DO_FCALL_BY_NAME);
	same("ZEND_INCLUDE_OR_EVAL", OP_INCLUDE_OR_EVAL,
	    ZEND_INCLUDE_OR_EVAL);
	same("ZEND_FE_RESET_R", OP_FE_RESET_R, ZEND_FE_RESET_R);
	same("ZEND_FE_FETCH_R", OP_FE_FETCH_R, ZEND_FE_FETCH_R);
	same("ZEND_FE_RESET_RW", OP_FE_RESET_RW, ZEND_FE_RESET_RW);
	same("ZEND_FE_FETCH_RW", OP_FE_FETCH_RW, ZEND_FE_FETCH_RW);
	same("ZEND_SEND_UNPACK", OP_SEND_UNPACK, ZEND_SEND_UNPACK);
}

int
main(void)
{
	const struct php_offsets *o = php_offsets_of(
	    PHP_MAJOR_VERSION * 10 + PHP_MINOR_VERSION);

	if (o == NULL) {
		printf("PHP %s is not in the table\n", PHP_VERSION);
		return 1;
	}
	check_table(o);
	check_constants();
	return n_wrong > 0;
}
