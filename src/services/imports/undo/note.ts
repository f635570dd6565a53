/** What the ledger keeps of a row so that it can be undone. */
export interface UndoNote {
  /** The changed fields of an updated account, with their old values. */
  before?: {
    firstName?: string;
    lastName?: string;
    email?: string;
    phone?: string;
    role?: string;
    isActive?: boolean;
    passwordHash?: string;
    requiresPasswordChange?: boolean;
    initialPasswordExpiresAt?: string | null;
    updatedAt: string;
  };
  /** When the account was updated: one that has changed since is kept as it is. */
  updatedAt?: string;
  /** An earlier row of the import created the account: it is kept or removed together with this row's enrollments. */
  ofCreated?: true;
  /** Ids of the enrollments that were created. */
  enrollments?: string[];
  /** The cancelled enrollments that became active again, with their old values. */
  revived?: { id: string; enrolledAt: string; notes: string | null; updatedAt: string }[];
}

/** The note of a row of the ledger; `undefined` for a row without one. */
export function undoNoteOf(text: string | null): UndoNote | undefined {
  // Written by this program only.
  return text === null ? undefined : (JSON.parse(text) as UndoNote);
}
