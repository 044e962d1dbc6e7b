"""Most common attributes by kind of object.

A call without brackets behind it is no call; an open bracket or quote waits for what is to come. The most usual stands first.
"""

from __future__ import annotations

_TABLE = (
    "head() groupby( describe() value_counts() sort_values( isna() isnull() dropna( fillna( sum() "
    "mean() shape columns dtypes info() drop(columns=[ merge( plot( plot.bar( to_csv( reset_index( "
    "set_index( rename(columns={ apply( median() max() min() std() count() corr() unique() nunique() "
    "astype( copy() loc[ iloc[ query( assign( agg( pivot_table( drop_duplicates() duplicated() "
    "sample( tail() nlargest( hist( rolling( shift( cumsum() diff() map( isin([ between( str. dt. "
    "index values to_list() iterrows() items() idxmax() idxmin() quantile( round( resample( "
    "transform( explode( melt( notna() abs() pct_change() any() all() boxplot( select_dtypes( join( T"
)

_WORDS = {
    "DataFrame": _TABLE,
    "Series": _TABLE,
    "GroupBy": "mean() sum() size() count() agg( max() min() median() std() first() transform( nunique() apply( "
    "describe() cumsum() head( last()",
    "str": "strip() split( lower() upper() replace( startswith( endswith( join( format( title() splitlines() "
    "find( isdigit() count(",
    "list": "append( extend( sort( pop( insert( index( remove( reverse() count( copy() clear()",
    "dict": "items() keys() values() get( update( pop( setdefault( copy()",
    "set": "add( update( discard( remove( union( intersection( difference(",
    "ndarray": "shape mean( sum( reshape( astype( max( min( std( T flatten() ndim size dtype copy() argmax( "
    "argmin( tolist() dot( any() all()",
    "Axes": "set_title( set_xlabel( set_ylabel( plot( scatter( bar( hist( legend() grid( set_xlim( set_ylim( "
    "axhline( axvline( boxplot( set_xticks( set(",
    "Figure": "savefig( tight_layout() suptitle( add_subplot( colorbar( subplots(",
    "pandas": "DataFrame( read_csv( to_datetime( concat([ Series( merge( read_excel( date_range( to_numeric( "
    "cut( qcut( get_dummies( pivot_table( read_json( read_parquet( Timestamp( Timedelta( crosstab( "
    "isna( notna( set_option( read_sql( melt( Categorical( NA",
    "numpy": "array( mean( arange( linspace( zeros( random. sqrt( sum( where( nan ones( std( exp( log( log10( "
    "max( min( abs( pi concatenate( sin( cos( unique( median( dot( argmax( argmin( sort( argsort( "
    "round( isnan( percentile( meshgrid( ndarray eye( vstack( hstack( cumsum( clip( polyfit( "
    "corrcoef( full( inf reshape( allclose( linalg.",
    "numpy.random": "default_rng( seed( normal( randint( rand( choice( randn( uniform( permutation( shuffle(",
    "matplotlib.pyplot": "plot( show() title( xlabel( ylabel( figure( subplots( legend() hist( scatter( bar( savefig( "
    "tight_layout() grid( xticks( yticks( boxplot( imshow( xlim( ylim( axhline( axvline( colorbar() "
    "barh( pie( subplot( close( errorbar( fill_between( axis( style.use(",
    "seaborn": "scatterplot( histplot( heatmap( boxplot( barplot( lineplot( countplot( pairplot( set_theme() "
    "load_dataset( violinplot( regplot( kdeplot( displot( catplot( relplot( lmplot(",
    "random": "randint( choice( seed( random() shuffle( sample( uniform( gauss( choices(",
    "math": "sqrt( pi floor( ceil( log( sin( cos( exp( isclose( factorial( gcd( hypot( inf",
    "json": "loads( dumps( load( dump(",
    "os": "path. listdir( getcwd() makedirs( environ[",
    "time": "time() sleep( perf_counter()",
    "statistics": "mean( median( stdev( mode( variance( quantiles(",
    "itertools": "product( combinations( permutations( chain( count( groupby( islice( accumulate( repeat( cycle(",
    "datetime": "datetime( timedelta( date(",
    "re": "sub( findall( search( match( split( compile( fullmatch(",
    "estimator": "fit( predict( score( predict_proba( transform( fit_transform( coef_ intercept_ "
    "feature_importances_ classes_ get_params()",
    "dt": "month year day_name() date hour day day_of_week strftime( to_period( month_name() quarter minute "
    "normalize() total_seconds() days",
    "text column": "contains( lower() upper() strip() replace( split( len() startswith( endswith( extract( title() "
    "cat( slice(",
}

USUAL: dict[str, tuple[str, ...]] = {kind: tuple(words.split()) for kind, words in _WORDS.items()}

TABLES = ("DataFrame", "Series")
