import type { Completable } from '../../../services/completion.js';

/** The arguments and values of options that are completed with names from the database. Here, so that help need not load more. */
export const nameKinds = ['course', 'user', 'enrollment', 'import'] as const satisfies readonly Completable[];

/** Whether arguments of this name are completed so. */
export const isNameKind = (name: string): name is Completable => nameKinds.some((one) => one === name);
