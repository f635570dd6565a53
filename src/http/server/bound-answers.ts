import type { RequestHandler, Response } from 'express';
import { isTaken } from '../body/streams.js';
import { clientOf } from './client.js';
import type { RequestControl } from './respond.js';
import { answerTaken } from './waiting-request.js';

/**
 * Bounds the answers that no operation sends: files of the web console, preflights, errors. As those of operations they
 * aren't work any more when only sending is left, count with the answers that wait for their clients, and end when their
 * client reads nothing.
 */
export function boundAnswers({ admission, waiting, limits }: RequestControl): RequestHandler {
  return (request, response: Response<unknown, { isBounded?: boolean }>, next) => {
    // Emitted when all of the answer has been handed to the connection, which may keep it.
    response.once('prefinish', () => {
      if (response.locals.isBounded) return;
      admission?.release(response);
      if (response.writableLength === 0) return;
      void isTaken(response, 'finish', limits.unreadMs);
      const { ip: address } = clientOf(request);
      if (waiting) response.once('close', waiting.answer(answerTaken(response, { address })));
    });
    next();
  };
}
