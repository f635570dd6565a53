/**
 * The yardstick of `npm run bench -- requests`: an Express server that does for `GET /api/auth/me` what can't be left out,
 * and nothing else: it verifies the token, reads the session with its account by one prepared statement, and answers the
 * account. `JWT_SECRET` and `DATABASE_URL` are those of the service; prints its port.
 */
import { createSecretKey } from 'node:crypto';
import express from 'express';
import jwt from 'jsonwebtoken';
import { createPool } from 'mysql2/promise';

const key = createSecretKey(Buffer.from(process.env.JWT_SECRET, 'utf8'));
const pool = createPool({ uri: process.env.DATABASE_URL, connectionLimit: Number(process.env.DB_POOL_MAX) });

const statement = `
  SELECT u.id, u.first_name AS firstName, u.last_name AS lastName, u.email, u.phone, u.role, u.is_active AS isActive,
    u.avatar, u.last_login AS lastLogin, u.requires_password_change AS requiresPasswordChange,
    u.created_at AS createdAt, u.updated_at AS updatedAt
  FROM sessions s JOIN users u ON u.id = s.user_id
  WHERE s.id = ? AND s.user_id = ? AND s.expires_at > ?`;

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.get('/api/auth/me', async (request, response) => {
  const token = request.headers.authorization.slice('Bearer '.length);
  const { userId, sid } = jwt.verify(token, key, { algorithms: ['HS256'] });
  const [[user]] = await pool.execute(statement, [sid, userId, new Date()]);
  if (user) response.json({ success: true, user });
  else response.status(401).json({ error: 'Invalid or expired token' });
});
const server = app.listen(0, '127.0.0.1', () =>
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })),
);
