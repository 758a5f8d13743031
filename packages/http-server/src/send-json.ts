import type { Response } from 'express'

/** Answers JSON as `res.json` does, without looking up again for each answer what kind of text JSON is. */
export function sendJson(res: Response, value: object): void {
  const body = JSON.stringify(value)
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Content-Length', Buffer.byteLength(body))
  res.end(body)
}
