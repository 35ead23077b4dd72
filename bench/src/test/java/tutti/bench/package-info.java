/** Programs that measure calls of package {@code mpi} on a cluster; scripts in folder {@code bench} run them. */
package tutti.bench;
