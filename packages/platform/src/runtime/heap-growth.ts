import { setFlagsFromString } from 'node:v8'

/**
 * Lets the heap grow to 1.6 times the live size before a collection, instead of up to four times. For processes that
 * move much and keep little: without it the memory of migration above idle is 210 MiB instead of 159, for a tenth less
 * of the processor (row "migration", 100,000 users).
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=60')
}
