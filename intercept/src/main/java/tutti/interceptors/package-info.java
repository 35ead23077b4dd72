/**
 * The interceptors of the distribution: modules {@code intercept.profile}, {@code intercept.trace} and {@code intercept.chaos}.
 *
 * <pre>{@code
 *   ProfileInterceptor -- begin --> ProfiledRank -- end --> RankProfile (as bytes) -- report on rank 0 --> ProfileReport: text, JSON, SVG
 *   TraceInterceptor   -- after --> InterceptedRank.trace
 *   ChaosInterceptor   -- before --> delays and refusals by seed
 * }</pre>
 */
@NullMarked
package tutti.interceptors;

import org.jspecify.annotations.NullMarked;
