import Joi from 'joi';
import { fileListingSchema, noFields } from '../../../schemas/file.js';
import { component } from '../json-schema.js';
import { anybody, created, ok, operations, streamed } from '../operation.js';
import * as shapes from '../response-schemas.js';

const material = component(
  'Material',
  'A file of a course',
  Joi.object({
    id: shapes.id,
    name: shapes.text,
    contentType: shapes.text,
    bytes: shapes.count,
    createdAt: shapes.timestamp,
  }),
);

const operation = operations('Files');

export const fileOperations = {
  setThumbnail: operation.post('/api/courses/:id/thumbnail', {
    summary: 'Give a course its image: JPEG, PNG or WebP',
    access: { kind: 'owner', of: 'course', roles: ['trainer', 'super_admin'] },
    params: Joi.object({ id: shapes.idOf('course') }),
    upload: { field: 'image', fields: noFields, maxBytes: ({ files }) => files.imageBytes },
    success: ok('The image is in use; `imageUrl` is its URL', {
      message: shapes.message('Thumbnail uploaded successfully.'),
      imageUrl: shapes.text,
    }),
    failures: ['NOT_FOUND', 'STORAGE_UNAVAILABLE', 'BODY_INCOMPLETE'],
  }),
  removeThumbnail: operation.delete('/api/courses/:id/thumbnail', {
    summary: 'Remove the image of a course',
    access: { kind: 'owner', of: 'course', roles: ['trainer', 'super_admin'] },
    params: Joi.object({ id: shapes.idOf('course') }),
    success: ok('The image was removed', { message: shapes.message('Thumbnail removed successfully.') }),
    failures: ['NOT_FOUND'],
  }),
  addMaterial: operation.post('/api/courses/:id/files', {
    summary: 'Add a file to a course',
    access: { kind: 'owner', of: 'course', roles: ['trainer', 'super_admin'] },
    params: Joi.object({ id: shapes.idOf('course') }),
    upload: { field: 'file', fields: noFields, maxBytes: ({ files }) => files.materialBytes },
    success: created('The file was added', {
      message: shapes.message('File uploaded successfully.'),
      file: material.required(),
    }),
    failures: ['NOT_FOUND', 'COURSE_QUOTA', 'STORAGE_UNAVAILABLE', 'BODY_INCOMPLETE'],
  }),
  listMaterials: operation.get('/api/courses/:id/files', {
    summary: "A course's files, newest first",
    access: { kind: 'owner', of: 'course', roles: ['trainee', 'trainer', 'super_admin'] },
    params: Joi.object({ id: shapes.idOf('course') }),
    query: fileListingSchema,
    success: ok('One page of files', shapes.pageOf('files', material)),
    failures: ['NOT_FOUND', 'ENROLLMENT_REQUIRED'],
  }),
  openMaterial: operation.get('/api/courses/:id/files/:fileId', {
    summary: 'Download a file of a course',
    access: { kind: 'owner', of: 'course', roles: ['trainee', 'trainer', 'super_admin'] },
    params: Joi.object({ id: shapes.idOf('course'), fileId: shapes.id }),
    success: streamed('The file, with the content type of its name', '*/*'),
    acceptsRanges: true,
    failures: ['NOT_FOUND', 'ENROLLMENT_REQUIRED', 'RANGE_NOT_SATISFIABLE', 'STORAGE_UNAVAILABLE'],
  }),
  removeMaterial: operation.delete('/api/courses/:id/files/:fileId', {
    summary: 'Delete a file of a course',
    access: { kind: 'owner', of: 'course', roles: ['trainer', 'super_admin'] },
    params: Joi.object({ id: shapes.idOf('course'), fileId: shapes.id }),
    success: ok('The file was deleted', { message: shapes.message('File deleted successfully.') }),
    failures: ['NOT_FOUND'],
  }),
  showImage: operation.get('/api/images/:name', {
    summary: 'The image of a course or account',
    access: anybody,
    params: Joi.object({
      name: shapes.text.description('File name of the image').example('0198c1f2-7a3b-7c4d-8e5f-6a7b8c9d0e1f.webp'),
    }),
    success: streamed('The image', 'image/webp'),
    failures: ['NOT_FOUND', 'STORAGE_UNAVAILABLE'],
  }),
};
