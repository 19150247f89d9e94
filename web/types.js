/*
 * What the engine answers (cli/view/answers.c), and what is selected. Types
 * only; nothing here runs.
 */

/**
 * @typedef {object} Key
 * @property {string} id  what `focus` takes: the text, unless it is long
 * @property {string} text  all of it
 * @property {string} name
 * @property {string} file
 * @property {string} module  namespace, package, library or folder
 * @property {string} [module_id]  its short form, if it is long
 * @property {number} [line]
 * @property {number} lang
 * @property {Change} [change]  with all that it calls; of two inputs
 */

/**
 * Shares of 1; `delta` is after minus before, low to high its 95 % interval.
 * @typedef {object} Change
 * @property {number} samples_before
 * @property {number} samples_after
 * @property {number} before
 * @property {number} after
 * @property {number} delta
 * @property {number} low
 * @property {number} high
 * @property {number} q
 * @property {boolean} is_significant
 */

/** @typedef {Key & {change: Change}} DifferenceRow */

/**
 * @typedef {object} Difference
 * @property {string} verdict
 * @property {'self'|'total'} order  of the rows, and what they show
 * @property {number} n_changed
 * @property {number} samples_before
 * @property {number} samples_after
 * @property {number} n_rows
 * @property {DifferenceRow[]} rows
 */

/**
 * @typedef {object} Track
 * @property {number|null} pid
 * @property {number|null} tid
 * @property {string} name
 * @property {string} [process]
 * @property {number} samples
 * @property {number} time_us
 */

/** A time of the recording. @typedef {{label: string, text: string,
 *   us: number}} Figure */

/**
 * @typedef {object} Info
 * @property {string} title
 * @property {number} version  grows with the inputs
 * @property {boolean} follows  more may come
 * @property {'complete'|'following'|'recording'|'ended'} state
 * @property {number} recorded_us  how long the recording took so far
 * @property {string} note  what has happened to an input last
 * @property {boolean} is_diff  two inputs are compared
 * @property {number} samples
 * @property {number} time_us
 * @property {number|null} period_us
 * @property {boolean} has_clock
 * @property {boolean} has_annotations
 * @property {number} gaps
 * @property {Figure[]} times
 * @property {number} idle_samples
 * @property {string} idle_rule
 * @property {boolean} hides_idle  unless the page says another
 * @property {string} missing  what is, in words; '' if nothing is known
 * @property {Track[]} tracks
 */

/**
 * @typedef {object} Row
 * @property {string} id
 * @property {string} text
 * @property {string} name
 * @property {string} file
 * @property {string} module
 * @property {string} [module_id]
 * @property {number} lang
 * @property {number} [line]
 * @property {number} key  its number, for `sparks`
 * @property {number} self
 * @property {number} total
 * @property {number} self_us
 * @property {number} total_us
 * @property {[number, number, number]} self_share  share, low, high
 * @property {[number, number, number]} total_share
 */

/** @typedef {{samples: number, time_us: number, n_rows: number,
 *   rows: Row[]}} Rows */

/** cli/view/branches.h says what the numbers are.
 * @typedef {{n_nodes: number, nodes: number[]}} Level
 * @typedef {{samples: number, time_us: number, levels: Level[],
 *   keys: Record<string, Key>}} Branches */

/** @typedef {{parts: number, sparks: number[]}} Sparks */

/** @typedef {{key: string, n_values: number,
 *   values: {value: string, samples: number}[]}} Facet
 * @typedef {{facets: Facet[]}} Facets */

/** What was spent in a line, and by which functions.
 * @typedef {object} ListingLine
 * @property {number} line  0: unknown
 * @property {number} self
 * @property {number} total
 * @property {number} self_us
 * @property {number} total_us
 * @property {(Key & {self: number, total: number})[]} keys
 */

/**
 * @typedef {object} Listing
 * @property {Key} [file]  none: no file has lines
 * @property {Key} [focus]  the function whose file it is
 * @property {number} samples
 * @property {number} time_us
 * @property {number} [n_lines]
 * @property {ListingLine[]} lines
 */

/** cli/view/source.h says what the fields are.
 * @typedef {object} SourceText
 * @property {string} [text]
 * @property {boolean} [is_cut]
 * @property {string} [why]
 * @property {boolean} [can_name]
 * @property {number} [modified_us]
 * @property {number|null} [recorded_us]
 * @property {boolean} [is_newer]
 */

/** @typedef {Key & {is_root: boolean, total: number,
 *   total_us: number}} CallerRow */

/** @typedef {{samples: number, key?: Key, n_rows: number,
 *   rows: CallerRow[]}} Callers */

/** @typedef {{bin_us: number, bins: number[]}} Timeline */

/**
 * Nodes are six numbers each: id, depth, key, start, total, self.
 * @typedef {object} FlameAnswer
 * @property {number} samples
 * @property {number} time_us
 * @property {number[]} path  id and key of each node down to the root
 * @property {number[]} nodes
 * @property {boolean} is_cut
 * @property {Record<string, Key>} keys
 */

/** @typedef {Track & {track: number, depth: number}} Lane */
/** @typedef {{end_us: number, n_lanes: number, lanes: Lane[]}} Lanes */

/**
 * cli/view/order.h says what the numbers are.
 * @typedef {object} OrderAnswer
 * @property {number} begin
 * @property {number} end
 * @property {{track: number, samples: number, grain_us: number,
 *   boxes: number[], bands: number[], marks: number[]}[]} lanes
 * @property {number[]} nodes
 * @property {Record<string, Key>} keys
 * @property {string[][]} annotations
 * @property {string[]} states
 */

/**
 * cli/view/bins.h says what the numbers are.
 * @typedef {object} BinsAnswer
 * @property {number} bin_us
 * @property {string[]} states
 * @property {{track: number, name: string, bins: number[]}[]} rows
 * @property {Record<string, Key>} keys
 */

/**
 * @typedef {object} Route
 * @property {string} route
 * @property {number} requests
 * @property {string} [key]  the annotation that has it, to select it by
 * @property {boolean} is_lower_bound
 * @property {number} samples
 * @property {number} time_us
 * @property {number} p50_us
 * @property {number} p95_us
 * @property {number} max_us
 */

/**
 * @typedef {object} Request
 * @property {string} value
 * @property {string} route
 * @property {number|null} pid
 * @property {number|null} tid
 * @property {number} t_first_us
 * @property {number} time_us
 * @property {number} samples
 */

/** @typedef {{routes: Route[], time_us: number, slowest: Request[]}} Requests */

export {};
