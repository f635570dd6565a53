import type { ErrorCode, ErrorParams, Operations, ValidationError } from '../../../examples/api-types.js';
import { operations } from './operations.js';

export type OperationId = keyof Operations;
export type ResponseBody<Id extends OperationId> = Operations[Id]['response'];

/** Allows undefined in optional fields, with the same meaning as an absent field. */
type AllowUndefined<T> = { [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] };

type InputPart<T, Name extends string> = Name extends keyof T
  ? T extends Record<Name, unknown>
    ? { [K in Name]: AllowUndefined<T[Name]> }
    : { [K in Name]?: AllowUndefined<Exclude<T[Name], undefined>> | undefined }
  : unknown;

/** Input of an operation: path parameters, query parameters and body. */
export type Input<Id extends OperationId> = InputPart<Operations[Id]['parameters'], 'path'> &
  InputPart<Operations[Id]['parameters'], 'query'> &
  (undefined extends Operations[Id]['body'] ? { body?: Operations[Id]['body'] } : { body: Operations[Id]['body'] });

interface AnyInput {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

export type FieldProblem = ValidationError['errors'][number];

/** Reason of an error response. */
export interface Refusal {
  /** Absent if a proxy responded instead of the service. */
  code?: ErrorCode | undefined;
  params?: ErrorParams | undefined;
}

interface ErrorDetails extends Refusal {
  problems?: readonly FieldProblem[] | undefined;
  /** Seconds to wait before retrying, if the service says so. */
  retryAfter?: number | undefined;
}

/** Error response, or no response (`status` 0). */
export class ApiError extends Error implements Refusal {
  override name = 'ApiError';
  readonly code: ErrorCode | undefined;
  readonly params: ErrorParams;
  readonly problems: readonly FieldProblem[];
  readonly retryAfter: number | undefined;

  constructor(
    readonly status: number,
    { code, params = {}, problems = [], retryAfter }: ErrorDetails = {},
  ) {
    super(code ?? `HTTP ${status}`);
    this.code = code;
    this.params = params;
    this.problems = problems;
    this.retryAfter = retryAfter;
  }
}

/** The session has ended. Pages don't show this error, because the dialog to sign in again says so. */
export class SessionEndedError extends ApiError {}

/** Called for every response that says that the session has ended. */
let onSignedOut: () => void = () => undefined;

export function setSignedOutListener(listener: () => void): void {
  onSignedOut = listener;
}

export function urlOf<Id extends OperationId>(id: Id, input: Omit<Input<Id>, 'body'>): string {
  // `Input` has no other fields, for any operation.
  const { path = {}, query = {} } = input as AnyInput;
  const base = operations[id].path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(path[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    // Commas separate the items of a list.
    const written = String(value ?? '');
    if (written !== '') search.append(name, written);
  }
  const text = search.toString();
  return text === '' ? base : `${base}?${text}`;
}

function toFormData(fields: object): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    for (const one of [value].flat())
      if (one instanceof Blob) form.append(name, one);
      else if (one !== undefined) form.append(name, String(one));
  return form;
}

function buildRequest(id: OperationId, input: AnyInput): RequestInit {
  const { method, ...transport } = operations[id];
  // For changes, the service accepts the cookie only with this header, which pages of other origins can't send.
  const headers: Record<string, string> = { 'X-Requested-With': 'coursectl' };
  const sends = 'sends' in transport ? transport.sends : undefined;
  if (sends === undefined) return { method, headers };
  // The body of a form operation is always an object.
  if (sends === 'form') return { method, headers, body: toFormData((input.body ?? {}) as object) };
  return {
    method,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(input.body ?? {}),
  };
}

/** Body of an error response, without the English message, which the console doesn't show. */
interface ErrorBody {
  params?: ErrorParams;
  errors?: FieldProblem[];
}

function toApiError(
  id: OperationId,
  status: number,
  { params, errors }: ErrorBody,
  headerOf: (name: string) => string | null,
): ApiError {
  const retryAfter = Number(headerOf('Retry-After') ?? Number.NaN);
  const ErrorClass = status === 401 && !signInOperations.has(id) ? SessionEndedError : ApiError;
  return new ErrorClass(status, {
    // The OpenAPI document lists the codes. A service of another version may send others, which get a general text.
    code: (headerOf('Error-Code') ?? undefined) as ErrorCode | undefined,
    params,
    problems: errors,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
}

const noResponse = () => new ApiError(0);

/** @throws ApiError for every error response, and with status 0 if there is no response */
async function send<Id extends OperationId>(id: Id, input: Input<Id>, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(urlOf(id, input), {
      // `Input` has no other fields, for any operation.
      ...buildRequest(id, input as AnyInput),
      credentials: 'same-origin',
      ...(signal && { signal }),
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw noResponse();
  }
  if (!response.ok) {
    // A proxy may respond with something other than JSON.
    const body = (await response.json().catch(() => ({}))) as ErrorBody;
    const failure = toApiError(id, response.status, body, (name) => response.headers.get(name));
    if (failure instanceof SessionEndedError) onSignedOut();
    throw failure;
  }
  return response;
}

/**
 * Calls an operation of the API by its id.
 * @throws ApiError for every error response, and with status 0 if there is no response
 */
export async function call<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  signal?: AbortSignal,
): Promise<ResponseBody<Id>> {
  const response = await send(id, input, signal);
  const transport = operations[id];
  const responses = 'response' in transport ? transport.response : 'json';
  // The OpenAPI document describes the responses; `fetch` doesn't know their types.
  if (responses === 'text') return (await response.text()) as ResponseBody<Id>;
  if (responses === 'blob') return (await response.blob()) as ResponseBody<Id>;
  return (await response.json()) as ResponseBody<Id>;
}

/**
 * Calls an operation and returns the unchanged bytes of its response. For files that the service sends only once: the page must
 * know whether they arrived.
 * @throws ApiError as {@link call}
 */
export async function callForBlob<Id extends OperationId>(id: Id, input: Input<Id>): Promise<Blob> {
  const response = await send(id, input);
  try {
    return await response.blob();
  } catch {
    throw noResponse();
  }
}

/** Operations whose 401 means a wrong password or no session yet, not an ended session. */
const signInOperations: ReadonlySet<OperationId> = new Set(['startWebSession', 'showWebSession', 'endWebSession']);

interface UploadOptions {
  /** Called with the sent share of the request, from 0 to 1. */
  onProgress(share: number): void;
  signal?: AbortSignal;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/**
 * Calls a form operation and reports the upload progress, which `fetch` can't.
 * @throws ApiError as {@link call}; the signal's reason after an abort
 */
export function upload<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  { onProgress, signal }: UploadOptions,
): Promise<ResponseBody<Id>> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    signal?.addEventListener('abort', abort);
    request.onloadend = () => signal?.removeEventListener('abort', abort);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onabort = () => reject(signal?.reason ?? new DOMException('', 'AbortError'));
    request.onerror = () => reject(noResponse());
    request.onload = () => {
      const body = parseJson(request.responseText);
      // The OpenAPI document describes the responses.
      if (request.status < 400) return resolve(body as ResponseBody<Id>);
      const failure = toApiError(id, request.status, body as ErrorBody, (name) => request.getResponseHeader(name));
      if (failure instanceof SessionEndedError) onSignedOut();
      reject(failure);
    };
    const { method } = operations[id];
    request.open(method, urlOf(id, input));
    request.setRequestHeader('X-Requested-With', 'coursectl');
    // The body of a form operation is always an object.
    request.send(toFormData(((input as AnyInput).body ?? {}) as object));
  });
}
