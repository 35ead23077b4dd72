/**
 * The interceptor {@code intercept.tally}: an example of an interceptor. It counts calls and reports their number by operation.
 *
 * <pre>{@code
 *   TallyInterceptor -- begin --> TallyOfRank -- after: count, end: bytes --> report on rank 0
 * }</pre>
 */
package com.example.intercept.tally;
