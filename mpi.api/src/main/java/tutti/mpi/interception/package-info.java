/**
 * The interception of the calls of package {@code mpi}.
 *
 * <pre>{@code
 *  program ---> InterceptedCalls (generated, one for each rank) ---> package mpi
 *                 |  begin, end
 *                 v
 *               Interception ---> interceptors (tutti.intercept)
 * }</pre>
 */
@NullMarked
package tutti.mpi.interception;

import org.jspecify.annotations.NullMarked;
