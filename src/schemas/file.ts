import Joi from './joi.js';
import type { Paging } from './listing.js';
import * as listing from './listing.js';

/** What a stored file is to the one it belongs to. */
export const fileKinds = ['material', 'thumbnail', 'avatar'] as const;
export type FileKind = (typeof fileKinds)[number];

/** `pending`: being stored; `live`: in use; `marked`: to be deleted. */
export const fileStates = ['pending', 'live', 'marked'] as const;
export type FileState = (typeof fileStates)[number];

/** Query of `GET /api/courses/:id/files`. */
export const fileListingSchema = Joi.object<Paging, true>({ ...listing.paging(20) });

/** The other fields of a form that brings a file: there are none. */
export const noFields = Joi.object({});
