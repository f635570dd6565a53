import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { S3Client } from '@aws-sdk/client-s3';
import { v7 as uuidv7 } from 'uuid';
import { attempts, checkByMd5, createS3Client, defaultTimeoutMs, type S3Settings, type Sdk } from './s3-client.js';
import { isNoSuchKey, isTransient, type S3Place, s3Fault } from './s3-fault.js';
import { watch, watchDownload } from './stall-timeout.js';
import {
  assertKey,
  type ByteRange,
  checkText,
  type FileStorage,
  isKey,
  type ObjectInfo,
  type StoredObject,
} from './storage.js';

/** What DeleteObjects takes. */
const batchSize = 1000;

const ignore = () => undefined;

/** Objects in a bucket, below a prefix. */
class S3Storage implements FileStorage {
  readonly location: string;
  readonly #sdk: Sdk;
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #timeoutMs: number;
  readonly #place: S3Place;
  /** What ends the requests that are under way. */
  readonly #underWay = new Set<AbortController>();
  #isClosed = false;

  constructor(sdk: Sdk, client: S3Client, settings: S3Settings) {
    const { bucket, endpoint, prefix, accessKeyId = '', secretAccessKey = '', timeoutMs = defaultTimeoutMs } = settings;
    this.#sdk = sdk;
    this.#client = client;
    this.#bucket = bucket;
    this.#prefix = prefix.replace(/^\/+|\/+$/g, '').replace(/.$/, '$&/');
    this.#timeoutMs = timeoutMs;
    this.location = `s3://${bucket}/${this.#prefix}${endpoint === undefined ? '' : ` at ${new URL(endpoint).origin}`}`;
    this.#place = { location: this.location, bucket, secrets: [secretAccessKey, accessKeyId] };
  }

  async put(key: string, file: string): Promise<void> {
    assertKey(key);
    try {
      await this.#uploadWithRetries(key, file);
    } catch (error) {
      // The server may have stored it although its answer was lost.
      await this.#deleteOnce(key).catch(ignore);
      throw s3Fault(error, this.#place);
    } finally {
      await rm(file, { force: true });
    }
  }

  async open(key: string, range?: ByteRange): Promise<StoredObject | undefined> {
    const input = { ...this.#objectOf(key), ...(range && { Range: `bytes=${range.start}-${range.end}` }) };
    try {
      const { Body, ContentLength } = await this.#ask((options) =>
        this.#client.send(new this.#sdk.GetObjectCommand(input), options),
      );
      // In Node the body is the answer itself; the SDK's type is that of all its platforms.
      const body = Body as IncomingMessage | undefined;
      if (body === undefined || ContentLength === undefined) throw new Error('An answer without a body.');
      if (range && ContentLength !== range.end - range.start + 1) {
        body.destroy();
        throw new Error('An answer of another length than was asked for.');
      }
      watchDownload(body, this.#timeoutMs);
      return { stream: body, bytes: ContentLength };
    } catch (error) {
      if (isNoSuchKey(error)) return undefined;
      throw s3Fault(error, this.#place);
    }
  }

  async remove(keys: readonly string[]): Promise<void> {
    keys.forEach(assertKey);
    const faults: unknown[] = [];
    for (let start = 0; start < keys.length; start += batchSize)
      faults.push(...(await this.#removeBatch(keys.slice(start, start + batchSize))));
    if (faults.length > 0) throw s3Fault(faults[0], this.#place);
  }

  async *list(): AsyncGenerator<ObjectInfo> {
    const input = { Bucket: this.#bucket, Prefix: this.#prefix };
    let next: string | undefined;
    do {
      const from = next === undefined ? {} : { ContinuationToken: next };
      const page = await this.#ask((options) =>
        this.#client.send(new this.#sdk.ListObjectsV2Command({ ...input, ...from }), options),
      ).catch((error: unknown) => {
        throw s3Fault(error, this.#place);
      });
      for (const { Key, Size, LastModified } of page.Contents ?? []) {
        const key = Key?.slice(this.#prefix.length) ?? '';
        // The bucket may be shared: what doesn't look like ours isn't.
        if (isKey(key) && Size !== undefined && LastModified) yield { key, bytes: Size, modifiedAt: LastModified };
      }
      next = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (next !== undefined);
  }

  async check(): Promise<void> {
    const key = `check/${uuidv7()}`;
    try {
      await this.#ask((options) =>
        this.#client.send(new this.#sdk.PutObjectCommand({ ...this.#objectOf(key), Body: checkText }), options),
      );
      const stored = await this.open(key);
      const found = stored && (await text(stored.stream));
      await this.remove([key]);
      await this.list().next();
      if (found !== checkText) throw new Error('It gives back something else than was written.');
    } catch (error) {
      throw s3Fault(error, this.#place);
    }
  }

  async close(): Promise<void> {
    // The client would send what is under way again.
    this.#isClosed = true;
    for (const stop of this.#underWay) stop.abort();
    this.#client.destroy();
  }

  #objectOf(key: string): { Bucket: string; Key: string } {
    assertKey(key);
    return { Bucket: this.#bucket, Key: `${this.#prefix}${key}` };
  }

  /** Sends a request, with its retries, within a time: the SDK's own limit ends when the answer begins. */
  async #ask<T>(
    send: (options: { abortSignal: AbortSignal }) => Promise<T>,
    ms = this.#timeoutMs * (attempts + 1),
  ): Promise<T> {
    const deadline = this.#begin();
    const timer = setTimeout(() => deadline.abort(), ms);
    try {
      return await send({ abortSignal: deadline.signal });
    } finally {
      clearTimeout(timer);
      this.#underWay.delete(deadline);
    }
  }

  /** Ends a request, as closing the storage does. Not AbortSignal.any(): what waits for a long-lived signal stays in memory. */
  #begin(): AbortController {
    const stop = new AbortController();
    if (this.#isClosed) stop.abort();
    this.#underWay.add(stop);
    return stop;
  }

  /** The SDK never repeats a request with a stream for a body: the stream is used up. Here each attempt has its own. */
  async #uploadWithRetries(key: string, file: string): Promise<void> {
    const { size } = await stat(file);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#upload(key, file, size);
      } catch (error) {
        if (attempt === attempts || !isTransient(error)) throw error;
        await sleep(100 * 2 ** attempt);
      }
    }
  }

  async #upload(key: string, file: string, bytes: number): Promise<void> {
    const stop = this.#begin();
    const stream = createReadStream(file, { end: Math.max(bytes - 1, 0) });
    const unwatch = watch(
      () => stream.bytesRead,
      this.#timeoutMs,
      () => stop.abort(),
    );
    const failed = new Promise<never>((_, reject) => {
      // Nobody else hears of it: the request would wait for the rest of its body.
      stream.once('error', (error) => {
        reject(error);
        stop.abort();
      });
    });
    // How long it may take depends on its size; the watch sees to it that it goes on.
    const options = { requestTimeout: 0, abortSignal: stop.signal };
    const input = { ...this.#objectOf(key), Body: bytes === 0 ? '' : stream, ContentLength: bytes };
    try {
      await Promise.race([this.#client.send(new this.#sdk.PutObjectCommand(input), options), failed]);
    } finally {
      unwatch();
      stream.destroy();
      this.#underWay.delete(stop);
    }
  }

  async #deleteOnce(key: string): Promise<void> {
    const command = new this.#sdk.DeleteObjectCommand(this.#objectOf(key));
    await this.#ask((options) => this.#client.send(command, options), Math.min(this.#timeoutMs, 5000));
  }

  /** @returns what failed, of the batch or of single keys */
  async #removeBatch(keys: readonly string[]): Promise<unknown[]> {
    const Delete = { Objects: keys.map((key) => ({ Key: this.#objectOf(key).Key })), Quiet: true };
    const command = checkByMd5(new this.#sdk.DeleteObjectsCommand({ Bucket: this.#bucket, Delete }));
    try {
      const { Errors = [] } = await this.#ask((options) => this.#client.send(command, options));
      return Errors.filter((error) => !isNoSuchKey(error));
    } catch (error) {
      return [error];
    }
  }
}

/** Objects in a bucket of S3, or of a server that speaks its language. The SDK is loaded now, by nobody else. */
export async function createS3Storage(settings: S3Settings): Promise<FileStorage> {
  const sdk = await import('@aws-sdk/client-s3');
  return new S3Storage(sdk, createS3Client(sdk, settings), settings);
}
