/**
 * The component that provides package {@code mpi} to programs.
 *
 * <pre>{@code
 *  runtime: class loader of a rank ---> RankClasses <--- MpiClasses: mpi (shared), mpi.MPI (one per rank)
 * }</pre>
 */
@NullMarked
package tutti.mpi;

import org.jspecify.annotations.NullMarked;
