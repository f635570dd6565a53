import Joi from 'joi';
import { fileListingSchema, noFields } from '../../../schemas/file.js';
import { anybody, operation } from '../operation.js';
import * as shapes from '../response-schemas.js';

/** Pictures, and the materials of courses. */
export const fileOperations = {
  setThumbnail: operation({
    method: 'post',
    path: '/api/courses/:id/thumbnail',
    tag: 'Files',
    summary: 'Give a course its picture: JPEG, PNG or WebP',
    access: { kind: 'owner', of: 'course', roles: ['trainer', 'super_admin'] },
    params: Joi.object({ id: shapes.idOf('course') }),
    upload: { field: 'image', fields: noFields, maxBytes: ({ files }) => files.imageBytes },
    success: {
      status: 200,
      description: 'The picture is in use; `imageUrl` says where it can be seen',
      body: Joi.object({ message: shapes.message('Thumbnail uploaded successfully.'), imageUrl: shapes.text }),
    },
    failures: ['NOT_FOUND', 'DISK_FULL', 'STORAGE_UNAVAILABLE', 'BODY_INCOMPLETE'],
  }),
  removeThumbnail: operation({
    method: 'delete',
    path: '/api/courses/:id/thumbnail',
    tag: 'Files',
    summary: 'Take the picture of a course away',
    access: { kind: 'owner', of: 'course', roles: ['trainer', 'super_admin'] },
    params: Joi.object({ id: shapes.idOf('course') }),
    success: {
      status: 200,
      description: 'There is no picture',
      body: Joi.object({ message: shapes.message('Thumbnail removed successfully.') }),
    },
    failures: ['NOT_FOUND'],
  }),
  addMaterial: operation({
    method: 'post',
    path: '/api/courses/:id/files',
    tag: 'Files',
    summary: 'Add a file to a course',
    access: { kind: 'owner', of: 'course', roles: ['trainer', 'super_admin'] },
    params: Joi.object({ id: shapes.idOf('course') }),
    upload: { field: 'file', fields: noFields, maxBytes: ({ files }) => files.materialBytes },
    success: {
      status: 201,
      description: 'The file was added',
      body: Joi.object({ message: shapes.message('File uploaded successfully.'), file: shapes.material.required() }),
    },
    failures: ['NOT_FOUND', 'COURSE_QUOTA', 'DISK_FULL', 'STORAGE_UNAVAILABLE', 'BODY_INCOMPLETE'],
  }),
  listMaterials: operation({
    method: 'get',
    path: '/api/courses/:id/files',
    tag: 'Files',
    summary: "A course's files, newest first",
    access: { kind: 'owner', of: 'course', roles: ['trainee', 'trainer', 'super_admin'] },
    params: Joi.object({ id: shapes.idOf('course') }),
    query: fileListingSchema,
    success: {
      status: 200,
      description: 'One page of files',
      body: shapes.pageOf('files', shapes.material),
    },
    failures: ['NOT_FOUND'],
  }),
  openMaterial: operation({
    method: 'get',
    path: '/api/courses/:id/files/:fileId',
    tag: 'Files',
    summary: 'Download a file of a course',
    access: { kind: 'owner', of: 'course', roles: ['trainee', 'trainer', 'super_admin'] },
    params: Joi.object({ id: shapes.idOf('course'), fileId: shapes.id }),
    success: {
      status: 200,
      description: 'The file, of the type that its name says',
      content: '*/*',
    },
    acceptsRanges: true,
    failures: ['NOT_FOUND', 'RANGE_NOT_SATISFIABLE', 'STORAGE_UNAVAILABLE'],
  }),
  removeMaterial: operation({
    method: 'delete',
    path: '/api/courses/:id/files/:fileId',
    tag: 'Files',
    summary: 'Delete a file of a course',
    access: { kind: 'owner', of: 'course', roles: ['trainer', 'super_admin'] },
    params: Joi.object({ id: shapes.idOf('course'), fileId: shapes.id }),
    success: {
      status: 200,
      description: 'The file was deleted',
      body: Joi.object({ message: shapes.message('File deleted successfully.') }),
    },
    failures: ['NOT_FOUND'],
  }),
  showImage: operation({
    method: 'get',
    path: '/api/images/:name',
    tag: 'Files',
    summary: 'The picture of a course or account',
    access: anybody,
    params: Joi.object({
      name: shapes.text.description('File name of the picture').example('0198c1f2-7a3b-7c4d-8e5f-6a7b8c9d0e1f.webp'),
    }),
    success: {
      status: 200,
      description: 'The picture',
      content: 'image/webp',
    },
    failures: ['NOT_FOUND', 'STORAGE_UNAVAILABLE'],
  }),
};
