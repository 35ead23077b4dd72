/**
 * Hosts on which the containers of a cluster are started, and the command lines that start them there.
 *
 * <pre>{@code
 * --hosts, --hostfile -> HostList -> HostSlots -> SshLauncher      -> LaunchCommand: ssh HOST ... tutti daemon, one per host
 * SLURM_* variables   -> SlurmAllocation                           -> LaunchCommand: srun ... tutti daemon, one for all hosts
 * on a host: environment of ssh or srun -> LaunchedNode -> address and slots of the node
 * }</pre>
 */
@NullMarked
package tutti.cli.hosts;

import org.jspecify.annotations.NullMarked;
