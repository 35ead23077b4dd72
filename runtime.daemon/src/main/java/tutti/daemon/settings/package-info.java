/**
 * Configuration of this container's node: values from Config Admin and from framework properties, as one record.
 *
 * <pre>{@code
 * Config Admin (PID tutti.node), framework properties -> ConfiguredNode -> NodeSettings
 * NodeConfiguration declares the attributes to Metatype
 * }</pre>
 */
@NullMarked
package tutti.daemon.settings;

import org.jspecify.annotations.NullMarked;
