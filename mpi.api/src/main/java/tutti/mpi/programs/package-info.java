/** Programs that Tutti itself runs as jobs. Classes with {@code main} are defined by every rank, the others are shared. */
package tutti.mpi.programs;
