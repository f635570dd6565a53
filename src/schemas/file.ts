import Joi from './joi.js';
import type { Paging } from './listing.js';
import * as listing from './listing.js';

export const fileKinds = ['material', 'thumbnail', 'avatar'] as const;
export type FileKind = (typeof fileKinds)[number];

/** `pending`: being stored; `live`: in use; `marked`: to be deleted. */
export const fileStates = ['pending', 'live', 'marked'] as const;
export type FileState = (typeof fileStates)[number];

/** Query of `GET /api/courses/:id/files`. */
export const fileListingSchema = Joi.object<Paging, true>({ ...listing.paging(20) });

/** Form fields besides an uploaded file: none. */
export const noFields = Joi.object({});
