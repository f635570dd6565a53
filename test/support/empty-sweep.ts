/** The result of comparing the storage with the database when there is nothing to remove or report. */
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
