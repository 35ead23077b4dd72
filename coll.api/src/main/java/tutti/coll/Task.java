package tutti.coll;

import org.osgi.annotation.versioning.ProviderType;

/**
 * A task of a plan, as an algorithm names it to later tasks of the same plan: {@link Plan#send}, {@link Plan#fence} and the other methods that add
 * tasks return one and take some. It has no other use, and must not be kept after {@link Algorithm#plan} has returned.
 */
@ProviderType
public interface Task {}
