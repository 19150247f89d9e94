/*
 * pprof: the profile.proto of google/pprof, gzip-packed. The mapping between
 * it and our model is described in docs/formats/pprof.md. Here are the numbers
 * of its fields, which reader and writer share.
 */
#ifndef FORMAT_PPROF_H
#define FORMAT_PPROF_H

#include "format/format.h"

enum pprof_profile {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME = 9,
	PROFILE_DURATION = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14
};

enum pprof_value_type { VALUE_TYPE = 1, VALUE_UNIT = 2 };

enum pprof_sample { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };

enum pprof_label {
	LABEL_KEY = 1,
	LABEL_STR = 2,
	LABEL_NUM = 3,
	LABEL_UNIT = 4
};

enum pprof_mapping {
	MAPPING_ID = 1,
	MAPPING_FILE = 5,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILES = 8,
	MAPPING_HAS_LINES = 9
};

enum pprof_location {
	LOCATION_ID = 1,
	LOCATION_MAPPING = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4
};

enum pprof_line { LINE_FUNCTION = 1, LINE_LINE = 2 };

enum pprof_function {
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_FILE = 4
};

extern const struct format pprof_format;
extern const struct source_ops pprof_source;
extern const struct sink_ops pprof_sink;
extern const struct bob_option_info pprof_write_options[];

#endif
