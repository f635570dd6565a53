/** Result of comparing the storage with the database, with nothing to remove or report. */
export const emptySweep = {
  removed: 0,
  held: 0,
  failed: 0,
  failure: null,
  leftovers: 0,
  unknown: [],
  missing: [],
  unreadable: [],
  wrongSize: [],
};
