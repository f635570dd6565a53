/** The most bytes of JSON that the items of large pages have: their longest texts in four bytes a character. */
export const itemBytes = {
  /** 131,000 with all texts. */
  course: 135_000,
  /** With the course's description, and notes. */
  enrollment: 92_000,
  /** A course before and after a change, of which one body brings 100 KiB at most. */
  auditEntry: 240_000,
  /** 256 cells of 100 characters; more where `IMPORT_MAX_COLUMNS` permits more. */
  importRow: 105_000,
} as const;
