import type { ShownJob } from './shown-job.ts'

/** The jobs that a stream of server-sent events tells, until it ends or breaks. */
export async function* jobEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ShownJob> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true })
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const data = /^event: progress\ndata: (.*)$/s.exec(event)?.[1]
      if (data !== undefined) yield JSON.parse(data) as ShownJob
    }
  }
}
