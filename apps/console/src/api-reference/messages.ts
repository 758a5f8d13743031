/** First message to the frame, with the port on which it sends requests. */
export interface FrameStart {
  readonly document: object
  readonly language: string
  /** The operation to show first. */
  readonly operationId?: string | undefined
}

/** A request that a person sends from the frame. */
export interface FrameRequest {
  readonly id: number
  readonly method: string
  readonly url: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: ArrayBuffer | undefined
}

/** The response to a request of the frame. */
export interface FrameAnswer {
  readonly id: number
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: ArrayBuffer
}
