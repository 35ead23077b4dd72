/** How package {@code mpi} comes to programs. */
package tutti.mpi;
